"""Model folders: safe, versioned, atomic."""
