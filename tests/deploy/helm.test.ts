/** The chart: its values and templates; rendered by Helm if it is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { findProgram } from './find-program.ts';

const chart = join(import.meta.dirname, '../../deploy/helm/switchyard');
const read = (path: string): string => readFileSync(join(chart, path), 'utf8');
const helm = findProgram('helm');
const values: Record<string, unknown> = parse(read('values.yaml'));

const schema = z.object({
  properties: z.record(z.string(), z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() })),
});

describe('its values', () => {
  const { properties } = schema.parse(JSON.parse(read('values.schema.json')));
  const byHelm = new Set(['global', 'nameOverride', 'fullnameOverride']);

  test('are all in the schema, and the schema knows no others', () => {
    const known = Object.keys(properties).filter((name) => !byHelm.has(name));
    expect(known.toSorted()).toEqual(Object.keys(values).toSorted());
    for (const [name, { properties: inner }] of Object.entries(properties))
      if (inner !== undefined)
        expect(Object.keys(inner).toSorted(), name).toEqual(Object.keys(Object(values[name])).toSorted());
  });

  test('are all values that the templates use', () => {
    const templates = readdirSync(join(chart, 'templates')).map((name) => read(join('templates', name)));
    const settingNames = templates.flatMap((text) =>
      [...text.matchAll(/\.Values\.(\w+)(?:\.(\w+))?/g)].map(([, name = '', inner]) => [name, inner] as const),
    );
    expect(settingNames.length).toBeGreaterThan(30);
    const unknown = settingNames.filter(
      ([name, inner]) =>
        !byHelm.has(name) && (!(name in values) || (inner !== undefined && !(inner in Object(values[name])))),
    );
    expect(unknown).toEqual([]);
  });

  test('have the product’s version', () => {
    const { version } = JSON.parse(readFileSync(join(chart, '../../../package.json'), 'utf8'));
    expect(parse(read('Chart.yaml'))).toMatchObject({ appVersion: version });
  });
});

const resource = z.looseObject({ kind: z.string(), spec: z.looseObject({}).optional() });
const pod = z.object({
  spec: z.looseObject({
    terminationGracePeriodSeconds: z.number(),
    securityContext: z.looseObject({}),
    containers: z.array(z.looseObject({ env: z.array(z.object({ name: z.string(), value: z.string() })) })),
  }),
});

function render(settings: readonly string[]): z.infer<typeof resource>[] {
  const parameters = settings.flatMap((setting) => ['--set', setting]);
  const text = execFileSync(helm ?? '', ['template', 'gate', chart, '--kube-version', '1.33.0', ...parameters], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const all = parseAllDocuments(text);
  if (!Array.isArray(all)) throw new Error('Helm rendered nothing');
  return all.map((document) => resource.parse(document.toJS()));
}

const secrets = ['secrets.DATABASE_URL=postgres://db/gate', 'secrets.MASTER_KEY=key'];
const kinds = (resources: readonly { kind: string }[]): string[] => resources.map(({ kind }) => kind).toSorted();

describe.skipIf(helm === undefined)('rendered by Helm', () => {
  test('has one pod with a volume on SQLite, and several without on PostgreSQL', () => {
    expect(kinds(render([]))).toEqual(['Secret', 'Service', 'StatefulSet']);
    expect(kinds(render(['database=postgres', ...secrets]))).toEqual([
      'Deployment',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
    const everything = ['autoscaling', 'ingress', 'serviceMonitor'].map((name) => `${name}.enabled=true`);
    expect(kinds(render(['database=postgres', 'existingSecret=kept', ...everything]))).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PodDisruptionBudget',
      'Service',
      'ServiceMonitor',
    ]);
  });

  test.each([{ settings: [] }, { settings: ['database=postgres', ...secrets, 'drainSeconds=300'] }])(
    'pods are closed, asked, and have time to drain: $settings',
    ({ settings }) => {
      const workload = render(settings).find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
      const { spec } = z.object({ template: pod }).parse(workload?.spec).template;
      const [container] = spec.containers;
      const drain = Number(container?.env.find(({ name }) => name === 'DRAIN_SECONDS')?.value);
      // The pause before the signal, and the time after the drain.
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(drain + 5 + 5);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
      });
    },
  );

  test('removes no pod in a rolling upgrade before another is ready', () => {
    const deployment = render(['database=postgres', ...secrets]).find(({ kind }) => kind === 'Deployment');
    expect(deployment?.spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
  });

  test.each([
    ['database=mysql'],
    ['database=postgres'],
    ['secrets.DATABASE_URL=postgres://db/gate'],
    ['drainSeconds=many'],
    ['unknown=1'],
  ])('refuses an invalid combination: %s', (setting) => {
    const { status } = spawnSync(helm ?? '', ['template', 'gate', chart, '--kube-version', '1.33.0', '--set', setting]);
    expect(status).not.toBe(0);
  });

  test('passes Helm’s own check', () => {
    expect(execFileSync(helm ?? '', ['lint', '--strict', chart], { encoding: 'utf8' })).toContain('0 chart(s) failed');
  });
});
