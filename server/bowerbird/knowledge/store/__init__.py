"""What has been read of a workspace, kept on disk."""
