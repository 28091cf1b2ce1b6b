"""How the bundled model was made, from public packages to the files in `assets/mini/`. Nothing imports this package."""
