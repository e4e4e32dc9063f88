"""The page on what people marked on both texts."""
