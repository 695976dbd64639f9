summary="x"; example="bench"
def arguments(p): pass
def run(a): return {}
