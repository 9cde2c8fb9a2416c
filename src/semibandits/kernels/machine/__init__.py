"""What makes kernels run: as Python or compiled, kept on disk, interrupted by Ctrl-C."""
