"""Pure decisions: nothing here asks a store, a clock or the network."""
