const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** `2026-11-30 22:01:07 UTC`; what is no time is shown as it is. */
export function moment(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `in 3 h`, `5 min ago`, `now`. */
export function fromNow(iso: string, now: number): string {
  const distance = Date.parse(iso) - now;
  if (Number.isNaN(distance)) return "";
  const unit = UNITS.find(([, length]) => Math.abs(distance) >= length);
  if (unit === undefined) return "now";
  const [name, length] = unit;
  const count = Math.round(Math.abs(distance) / length);
  return distance > 0 ? `in ${count} ${name}` : `${count} ${name} ago`;
}
