const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** `812 B`, `1.4 MB`: decimal units, two figures where that says enough. */
export function byteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}
