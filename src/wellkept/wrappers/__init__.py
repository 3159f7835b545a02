"""The contract of blocks again, around other stores. A wrapper is a package named after its URL's scheme."""
