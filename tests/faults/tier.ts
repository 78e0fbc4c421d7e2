/** `npm test` runs every promise at a size that takes seconds, `npm run test:faults` at the size that it names. */
import { appendFileSync } from 'node:fs';

const isLong = process.env['FAULTS_TIER'] === 'long';

export function pick<T>(short: T, long: T): T {
  return isLong ? long : short;
}

/** Says what a promise's test measured; `npm run test:faults` writes it into docs/reliability.md. */
export function measured(promise: string, figure: string): void {
  console.log(`measured ${promise}: ${figure}`);
  const file = process.env['MEASURED_FILE'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ promise, figure })}\n`);
}
