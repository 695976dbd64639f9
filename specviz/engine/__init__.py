"""The engine: real models, the loop, the drafters, one worker. Uses torch; never streamlit."""
