/** Registry of counters, histograms and gauges in memory, for all exporters. */

/** Definition of a metric, independent of the exporter. */
interface Definition<L extends readonly string[]> {
  name: string;
  help: string;
  /** Names of the labels. Each has a bounded number of values: never a user, a token or a client's path. */
  labels: L;
  /** OpenTelemetry's name and unit, if it has a convention for the metric. */
  convention?: Convention;
}

export interface Convention {
  name: string;
  unit: string;
  labels: readonly string[];
}

type Values<L extends readonly string[]> = { readonly [K in keyof L]: string };

export interface NumberPoint {
  values: readonly string[];
  value: number;
}

export interface HistogramPoint {
  values: readonly string[];
  /** Count of each bucket alone; the last one is above all bounds. */
  counts: readonly number[];
  sum: number;
  count: number;
}

/** All series of one name, with their current values. */
export type Family = Omit<Definition<readonly string[]>, 'labels'> & { labels: readonly string[] } & (
    | { type: 'counter' | 'gauge'; points: readonly NumberPoint[] }
    | { type: 'histogram'; bounds: readonly number[]; points: readonly HistogramPoint[] }
  );

export interface Counter<L extends readonly string[]> {
  add(values: Values<L>, by?: number): void;
}

export interface Gauge<L extends readonly string[]> {
  set(values: Values<L>, value: number): void;
}

export interface Histogram<L extends readonly string[]> {
  observe(values: Values<L>, value: number): void;
}

export interface Registry {
  counter<const L extends readonly string[]>(definition: Definition<L>): Counter<L>;
  gauge<const L extends readonly string[]>(definition: Definition<L>): Gauge<L>;
  histogram<const L extends readonly string[]>(definition: Definition<L> & { bounds: readonly number[] }): Histogram<L>;
  families(): Family[];
}

/**
 * Maximum number of series of one name. Labels are bounded, but their products may be large: further series are
 * counted together.
 */
const SERIES_MAX = 1_000;
const OVERFLOW_LABEL = 'other';

export function createRegistry(): Registry {
  const reads: (() => Family)[] = [];
  return {
    counter(definition) {
      const series = createSeries(() => ({ value: 0 }));
      reads.push(() => ({ ...definition, type: 'counter', points: series.points() }));
      return {
        add(values, by = 1) {
          series.of(values).value += by;
        },
      };
    },
    gauge(definition) {
      const series = createSeries(() => ({ value: 0 }));
      reads.push(() => ({ ...definition, type: 'gauge', points: series.points() }));
      return {
        set(values, value) {
          series.of(values).value = value;
        },
      };
    },
    histogram({ bounds, ...definition }) {
      const series = createSeries(() => ({
        counts: Array.from({ length: bounds.length + 1 }, () => 0),
        sum: 0,
        count: 0,
      }));
      reads.push(() => ({ ...definition, type: 'histogram', bounds, points: series.points() }));
      return {
        observe(values, value) {
          const point = series.of(values);
          let bucket = 0;
          while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
          point.counts[bucket] = (point.counts[bucket] ?? 0) + 1;
          point.sum += value;
          point.count += 1;
        },
      };
    },
    families: () => reads.map((read) => read()),
  };
}

/** Node of a tree whose levels are labels: several look-ups by a value take less time than one by their joined text. */
interface SeriesNode<P> {
  point: P | undefined;
  next: Map<string, SeriesNode<P>>;
}

function createSeries<S extends object>(empty: () => S) {
  type Point = S & { values: readonly string[] };
  const root: SeriesNode<Point> = { point: undefined, next: new Map() };
  const points: Point[] = [];
  const find = (values: readonly string[]): Point | undefined => {
    let node: SeriesNode<Point> | undefined = root;
    for (const value of values) node = node?.next.get(value);
    return node?.point;
  };
  const add = (values: readonly string[]): Point => {
    let node = root;
    for (const value of values) {
      const next = node.next.get(value) ?? { point: undefined, next: new Map() };
      node.next.set(value, next);
      node = next;
    }
    const point = { ...empty(), values: [...values] };
    node.point = point;
    points.push(point);
    return point;
  };
  return {
    of(values: readonly string[]): S {
      const known = find(values);
      if (known !== undefined) return known;
      if (points.length < SERIES_MAX) return add(values);
      const rest = values.map(() => OVERFLOW_LABEL);
      return find(rest) ?? add(rest);
    },
    points: (): readonly Point[] => [...points],
  };
}

/** Creates a family of values that are read at the moment, and not counted. */
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
