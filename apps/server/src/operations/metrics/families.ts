/** Families of what is read at the moment, and counted nowhere. */
import type { Family, NumberPoint } from './registry.ts';

export function createGauge(
  name: string,
  help: string,
  labels: readonly string[],
  points: readonly NumberPoint[],
): Family {
  return { name, help, type: 'gauge', labels, points };
}

export function createSingleGauge(name: string, help: string, value: number): Family {
  return createGauge(name, help, [], [{ values: [], value }]);
}

export function createSingleCounter(name: string, help: string, value: number): Family {
  return { ...createSingleGauge(name, help, value), type: 'counter', points: [{ values: [], value }] };
}
