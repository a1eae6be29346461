"""ちいポチ🐾: donate to a prefecture on LINE by typing one of its specialities."""
