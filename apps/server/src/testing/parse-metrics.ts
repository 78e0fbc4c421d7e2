/** Parses Prometheus's text format strictly: unknown lines are errors. */

export interface ParsedFamily {
  name: string;
  help: string;
  type: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

export function parseMetrics(text: string): Map<string, ParsedFamily> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end');
  const families = new Map<string, ParsedFamily>();
  let family: ParsedFamily | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.+)$/.exec(line) ?? [];
    const [, typed, type = ''] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (name !== '') {
      if (families.has(name)) throw new Error(`${name} comes twice`);
      family = { name, help, type: '', samples: [] };
      families.set(name, family);
    } else if (typed !== undefined && family?.name === typed) family.type = type;
    else if (family !== undefined && family.type !== '') family.samples.push(parseSample(line, family));
    else throw new Error(`What is this: ${line}`);
  }
  return families;
}

function parseSample(line: string, { name: family, type }: ParsedFamily): ParsedFamily['samples'][number] {
  const [, name = '', labels = '', value = ''] = sampleLine.exec(line) ?? [];
  const ends = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  if (!ends.some((end) => name === family + end)) throw new Error(`No sample of ${family}: ${line}`);
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  if (Number.isNaN(number)) throw new Error(`No number: ${line}`);
  return { name, labels: parseLabels(labels), value: number };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, name = '', value = ''] = label.exec(text) ?? [];
    if (name === '') throw new Error(`No labels: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

/** Returns the sum of all samples of a name that have these labels; undefined if there is none. */
export function sumSamples(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  if (family === undefined) throw new Error(`There is no metric ${name}`);
  const found = family.samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
