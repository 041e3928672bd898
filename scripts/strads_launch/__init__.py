"""Parts of strads-launch: they lie beside it here, and in share/strads where it is installed."""
