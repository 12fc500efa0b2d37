"""RepoEval's line tasks (sections 3 to 5): does retrieval help, and how much of what it could?"""
