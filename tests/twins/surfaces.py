"""Surfaces of masks (2 dimensions) and their distances, element by element, retyped from Nikolov et al. (2021), section on surface DSC.

A mask is a set of pixels ``(row, column)``; an element of its outline is a corner shared by pixels of which some are inside. It weighs as
much as the line there that halves the sides between a pixel inside and one outside.
"""

import math


def outline(mask, spacing):
    """``{corner: length}``; corner (r, c) is the one between the pixels (r - 1, c - 1) and (r, c)."""
    found, (height, width) = {}, spacing
    for r, c in {(r + dr, c + dc) for r, c in mask for dr in (0, 1) for dc in (0, 1)}:
        inside = {(dr, dc) for dr in (0, 1) for dc in (0, 1) if (r - dr, c - dc) in mask}
        diagonal = math.hypot(height, width) / 2
        if len(inside) in (1, 3):
            found[r, c] = diagonal
        elif len(inside) == 2:
            (a, b), (d, e) = inside
            found[r, c] = 2 * diagonal if a != d and b != e else width if a == d else height
    return found


def directed(a, b, spacing):
    """``(distance to the nearest corner of b, length)`` of the corners of a, nearest first."""
    return sorted((min(math.hypot((r - s) * spacing[0], (c - d) * spacing[1]) for s, d in b), length) for (r, c), length in a.items())


def hausdorff(a, b, spacing, percentile):
    found = []
    for rows in (directed(a, b, spacing), directed(b, a, spacing)):
        enough, k = percentile / 100 * sum(length for _, length in rows) * (1 - 1e-12), 1
        while sum(length for _, length in rows[:k]) < enough:
            k += 1
        found.append(rows[k - 1][0])
    return max(found)


def surface_dice(a, b, spacing, tolerance):
    rows = [*directed(a, b, spacing), *directed(b, a, spacing)]
    return sum(length for distance, length in rows if distance <= tolerance + 1e-12) / sum(length for _, length in rows)


def kappa(a, b, n):
    """Cohen's kappa of n pixels."""
    observed = (n - len(a ^ b)) / n
    expected = (len(a) * len(b) + (n - len(a)) * (n - len(b))) / n**2
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)
