/** A change of an address to which the server sends users' data requires a confirmed identity. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { features } from './all-feature-routes.ts';
import type { Routes } from './route.ts';

/** Routes whose body names an address, but that need no confirmation. */
const exempt: Readonly<Record<string, string>> = {
  'alerts.createOwn': 'sends the user’s own notifications',
  'alerts.updateOwn': 'sends the user’s own notifications',
  'catalogue.compare': 'reads a price list and sends nothing',
  'channelEdits.edit': 'the address is what a channel is for, and scripts write channels with access tokens',
  'channels.create': 'the address is what a channel is for, and scripts write channels with access tokens',
  'channels.fetchModels': 'reads the models of a channel and sends nothing but its own key',
  'channels.update': 'the address is what a channel is for, and scripts write channels with access tokens',
  'channels.updateById': 'the address is what a channel is for, and scripts write channels with access tokens',
  'modelDetails.read': 'reads metadata and sends nothing',
};

/** Fields with free values that hold addresses. */
const freeFields = new Set(['config']);

/** @param schema JSON schema, or a part of one */
function namesAddress(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if ('format' in schema && schema.format === 'uri') return true;
  return Object.entries(schema).some(([name, inner]) => freeFields.has(name) || namesAddress(inner));
}

test('a route that sets an address asks for a confirmation, or is exempt', () => {
  const setting = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
    Object.entries(routes).flatMap(([name, { body, stepUp }]) =>
      body !== undefined && namesAddress(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }))
        ? [{ name: `${feature}.${name}`, stepUp }]
        : [],
    ),
  );
  expect(setting.length).toBeGreaterThan(10);
  const unconfirmed = setting.filter(({ stepUp }) => stepUp !== true).map(({ name }) => name);
  expect(unconfirmed.toSorted()).toEqual(Object.keys(exempt).toSorted());
});
