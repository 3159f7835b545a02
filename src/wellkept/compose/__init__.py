"""Putting wellkept together: settings, stores from URLs, services over stores."""
