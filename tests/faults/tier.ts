/** `npm test` runs every promise at a size that takes seconds, `npm run test:faults` at the size that it names. */
const isLong = process.env['FAULTS_TIER'] === 'long';

export function pick<T>(short: T, long: T): T {
  return isLong ? long : short;
}

/** Prints what a promise's test measured, as docs/reliability.md shows it. */
export function measured(promise: string, figure: string): void {
  console.log(`measured ${promise}: ${figure}`);
}
