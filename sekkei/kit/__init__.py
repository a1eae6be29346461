"""Values that several systems need, each read, written and tested once: texts, codes and the like."""
