/** The contract as an OpenAPI document. */
import type { Route, Routes } from '@switchyard/contract/route';
import { z } from 'zod';

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: object;
}

const security = [{ session: [] }, { accessToken: [] }];

function describeAccess({ access, stepUp }: Route): string {
  const proof = stepUp === true ? ' The session must have been confirmed within ten minutes.' : '';
  if (access === 'anyone') return 'Anyone.';
  if (access === 'user') return `Signed-in users.${proof}`;
  if (access === 'root') return `Root only.${proof}`;
  return `Administrators, and staff with the permission ${access}.${proof}`;
}

/** Returns OpenAPI 3.1; the schemas are those of the wire, with integers for roles and statuses. */
export function describeApi(features: Readonly<Record<string, Routes>>, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [feature, routes] of Object.entries(features)) {
    for (const [name, route] of Object.entries(routes)) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(feature, name, route) };
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Switchyard management API', version },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'switchyard_session' },
        accessToken: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function describeRoute(feature: string, name: string, route: Route): object {
  return {
    tags: [feature],
    operationId: `${feature}.${name}`,
    summary: route.summary,
    description: describeAccess(route),
    ...(route.access === 'anyone' ? {} : { security }),
    parameters: [...describeParameters('path', route.params), ...describeParameters('query', route.query)],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: toWireSchema(route.body) } } } }),
    responses: { 200: { description: 'Success', content: describeResponse(route) } },
  };
}

function describeResponse(route: Route): object {
  if (route.file !== undefined) return { [route.file]: { schema: { type: 'string' } } };
  if (route.events === true) return { 'text/event-stream': { schema: toWireSchema(route.answer) } };
  const schema = {
    type: 'object',
    properties: { success: { const: true }, message: { type: 'string' }, data: toWireSchema(route.answer) },
    required: ['success', 'message', 'data'],
  };
  return { 'application/json': { schema } };
}

function describeParameters(where: Parameter['in'], schema: z.ZodObject | undefined): Parameter[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path',
    schema: toWireSchema(field),
  }));
}

function toWireSchema(schema: z.core.$ZodType): object {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return described;
}
