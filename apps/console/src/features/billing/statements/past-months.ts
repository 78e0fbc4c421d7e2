/** The first days of the months before this one (UTC), the last one first. */
export function pastMonths(count: number, now: Date): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1 - index)).toISOString().slice(0, 10),
  );
}
