"""What puts texts where their meaning is: each module names one way."""
