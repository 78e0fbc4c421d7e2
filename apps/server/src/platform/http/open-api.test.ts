import { features } from '@switchyard/contract/all-feature-routes';
import type { Routes } from '@switchyard/contract/route';
import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/start-test-app.ts';

const app = await useTestApp();

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; security?: unknown; parameters: unknown[] }>>;
}

test('anyone can read the description of every route', async () => {
  const response = await app.anonymous.fetch('/api/openapi.json');
  expect(response.headers.get('content-type')).toContain('application/json');
  const document = (await response.json()) as Document;
  expect(document.openapi).toBe('3.1.0');
  const described = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => operation.operationId),
  );
  const contract = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
    Object.keys(routes).map((name) => `${feature}.${name}`),
  );
  expect(described.toSorted()).toEqual(contract.toSorted());
});

test('a route that needs a session says so, and roles are integers as on the wire', async () => {
  const { paths } = (await (await app.anonymous.fetch('/api/openapi.json')).json()) as Document;
  expect(paths['/api/user/login']?.['post']).not.toHaveProperty('security');
  expect(paths['/api/token/{id}']?.['get']).toMatchObject({
    security: [{ session: [] }, { accessToken: [] }],
    parameters: [{ name: 'id', in: 'path', required: true }],
  });
  const user = JSON.stringify(paths['/api/user/{id}']?.['get']);
  expect(user).toContain('"role":{"type":"integer"');
  expect(user).not.toContain('"root"');
});
