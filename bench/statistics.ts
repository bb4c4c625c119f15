/** Order statistics of small samples. All throw on an empty sample: a figure without a measurement is no figure. */

/** The value below which the share `share` (0 to 1) of the samples lies, interpolated between neighbours. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('there is no sample');
  return below + (above - below) * (place - Math.floor(place));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Median of the ratios of what was measured in the same round: a machine that slows down meanwhile slows both. */
export function medianRatio(ours: readonly number[], baseline: readonly number[]): number {
  if (ours.length !== baseline.length) throw new Error(`${ours.length} rounds against ${baseline.length}`);
  return median(ours.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}

/** Least-squares slope of y over x. */
export function slope(points: readonly { x: number; y: number }[]): number {
  if (points.length < 2) throw new Error('a slope needs two points');
  const meanX = points.reduce((sum, point) => sum + point.x, 0) / points.length;
  const meanY = points.reduce((sum, point) => sum + point.y, 0) / points.length;
  const spread = points.reduce((sum, point) => sum + (point.x - meanX) ** 2, 0);
  if (spread === 0) throw new Error('all points have the same x');
  return points.reduce((sum, point) => sum + (point.x - meanX) * (point.y - meanY), 0) / spread;
}
