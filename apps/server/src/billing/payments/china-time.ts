const OFFSET_MS = 8 * 3600 * 1000;

/** The time of day in China, where both companies live: `2026-11-22T04:30:00`. @param ms UTC */
export function formatChinaTime(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, 19);
}
