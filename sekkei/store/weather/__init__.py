"""The weather of a real cloud over any store: what makes programs fail in production and no emulator shows."""

from __future__ import annotations

from sekkei.store.weather.weather import PRESETS, Forecast, Rendering, Weather

__all__ = ["PRESETS", "Forecast", "Weather", "wrap"]


def wrap(engine: Rendering, preset: str, seed: int = 7) -> Weather:
    """An engine in one of the named kinds of weather, for the wire to stand in front of."""
    return Weather.preset(preset, engine, seed)
