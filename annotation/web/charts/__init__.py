"""Small SVG charts: numbers in, coordinates out. Drawn by ``templates/charts``; pure Python."""
