"""What the lead's page on agreement reads: ratings under filters, their circumstances, and every
figure of them."""
