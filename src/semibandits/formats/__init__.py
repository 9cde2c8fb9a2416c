"""What is read and written, and what users see: files, JSON, HTML, numbers and text."""
