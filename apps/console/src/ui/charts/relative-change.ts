/** Highest ratio of a value to the earlier one that is still shown as a percentage. */
const TIMES_MAX = 10;

/** 0.12 is 12 % more than before; undefined where there is nothing to compare with. */
export function relativeChange(now: number | undefined, before: number | undefined): number | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined;
  const times = now / before;
  return times > TIMES_MAX ? undefined : times - 1;
}
