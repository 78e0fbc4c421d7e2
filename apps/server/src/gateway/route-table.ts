/** The table of everything that the relay's listener serves. A request is served by the first entrance that serves it. */

import type { BatchCalls } from './batches/batch-calls.ts';
import {
  type EndpointParts,
  formatOfModelLookup,
  isBudgetLookup,
  isModelLookup,
  lookUpBudget,
  lookUpModels,
} from './endpoints/endpoint.ts';
import { isOpenDrawingLookup, lookUpOpenly } from './endpoints/midjourney-endpoints.ts';
import { type PassthroughParts, passRaw } from './endpoints/passthrough.ts';
import { isArtifactPath, serveArtifact } from './endpoints/serve-artifact.ts';
import { answerStoredWork, isStoredWork } from './endpoints/stored-artifacts.ts';
import { isTaskLookup, lookUpTask, type TaskEndpointsParts } from './endpoints/task-endpoints.ts';
import { countRequestTokens, type TokenCountEndpointParts } from './endpoints/token-count-endpoint.ts';
import { isRawPath } from './http/operation-of-path.ts';
import { type RelayRequestParts, relayRequest } from './pipeline/relay-request.ts';
import type { BackgroundResponses } from './responses/background-responses.ts';
import { type ResponseLookups, takesResponseSlot } from './responses/response-endpoints.ts';
import {
  type Addressed,
  type Asked,
  type Entrance,
  type RouteParts,
  servesLookup,
  servesOpenly,
} from './route.ts';
import type { IdentifySession } from './snapshot/session-principal.ts';

/** Parts of the gateway that the functions below need. */
export interface RouteTableParts
  extends RelayRequestParts,
    TokenCountEndpointParts,
    RouteParts,
    EndpointParts,
    TaskEndpointsParts,
    PassthroughParts {}

/** Services that the entrances use. */
interface Services {
  background: BackgroundResponses;
  batchCalls: BatchCalls;
  responseLookups: ResponseLookups;
  identifySession: IdentifySession;
}

export function createEntrances(parts: RouteTableParts, services: Services): readonly Entrance[] {
  return [
    ...calls(parts, services),
    ...lookUps(parts, services),
    ...artifacts(parts, services),
    ...vendorCalls(parts, services),
  ];
}

function isCall({ method, path, call }: Addressed): boolean {
  return method === 'POST' && call !== undefined && !isRawPath(path);
}

function calls(parts: RouteTableParts, { background }: Services): readonly Entrance[] {
  const serve = (asked: Asked): Promise<void> => relay(parts, asked, background);
  return [
    {
      name: 'relayed call',
      access: 'key',
      effect: 'spends',
      examples: [
        'POST /v1/chat/completions',
        'POST /v1/messages',
        'POST /v1beta/models/m:generateContent',
        'POST /mj/submit/imagine',
        'POST /suno/submit/music',
        'POST /kling/v1/videos/text2video',
      ],
      serves: (request) => isCall(request) && !request.isPlayground && !request.isCount,
      serve,
    },
    {
      name: 'token count',
      access: 'key',
      effect: 'reads',
      examples: ['POST /v1/messages/count_tokens', 'POST /v1/responses/input_tokens'],
      serves: (request) => isCall(request) && request.isCount,
      serve: (asked) => count(parts, asked),
    },
    {
      name: 'playground call',
      access: 'session',
      effect: 'spends',
      examples: [
        'POST /api/playground/chat/completions',
        'POST /api/playground/images/generations',
        'POST /api/playground/audio/speech',
        'POST /api/playground/audio/transcriptions',
      ],
      serves: (request) => isCall(request) && request.isPlayground,
      serve,
    },
  ];
}

async function relay(parts: RouteTableParts, asked: Asked, background: BackgroundResponses): Promise<void> {
  const { call } = asked;
  if (call !== undefined) await relayRequest(parts, { ...asked, route: call, background });
}

async function count(parts: RouteTableParts, asked: Asked): Promise<void> {
  const { call } = asked;
  if (call !== undefined) await countRequestTokens(parts, { ...asked, route: call });
}

function lookUps(parts: RouteTableParts, { responseLookups }: Services): readonly Entrance[] {
  const takesNoSlot = (): boolean => false;
  const takesSlot = (): boolean => true;
  return [
    {
      name: 'models',
      access: 'key',
      effect: 'reads',
      examples: ['GET /v1/models', 'GET /v1/models/m', 'GET /v1beta/models', 'GET /claude/v1/models'],
      serves: ({ method, path }) => isModelLookup(method, path),
      formatOf: formatOfModelLookup,
      serve: servesLookup(parts, (principal, lookup) => lookUpModels(parts, principal, lookup), takesNoSlot),
    },
    {
      name: 'usage and balance',
      access: 'key',
      effect: 'reads',
      examples: [
        'GET /api/usage/token',
        'GET /v1/dashboard/billing/usage',
        'GET /dashboard/billing/subscription',
      ],
      serves: ({ method, path }) => isBudgetLookup(method, path),
      serve: servesLookup(parts, (principal, lookup) => lookUpBudget(parts, principal, lookup), takesNoSlot),
    },
    {
      name: 'tasks',
      access: 'key',
      effect: 'changes',
      examples: [
        'GET /v1/videos',
        'GET /v1/videos/t',
        'GET /v1/videos/t/content',
        'DELETE /v1/videos/t',
        'GET /v1/video/generations/t',
        'GET /mj/task/t/fetch',
        'GET /mj/task/t/image-seed',
        'POST /mj/task/list-by-condition',
        'GET /suno/fetch/t',
        'POST /suno/fetch',
        'GET /kling/v1/videos/text2video/t',
      ],
      serves: ({ method, path }) => isTaskLookup(method, path),
      serve: servesLookup(parts, (principal, lookup) => lookUpTask(parts, principal, lookup), takesSlot),
    },
    {
      name: 'stored responses',
      access: 'key',
      effect: 'changes',
      examples: [
        'GET /v1/responses/r',
        'GET /v1/responses/r/input_items',
        'DELETE /v1/responses/r',
        'POST /v1/responses/r/cancel',
      ],
      serves: ({ method, path }) => responseLookups.serves(method, path),
      serve: servesLookup(parts, responseLookups.lookUp, takesResponseSlot),
    },
  ];
}

function artifacts(parts: RouteTableParts, { identifySession }: Services): readonly Entrance[] {
  return [
    {
      name: 'artifacts in the console',
      access: 'session',
      effect: 'reads',
      examples: ['GET /api/task/t/work/0'],
      serves: ({ method, path }) => isArtifactPath(method, path),
      serve: servesOpenly(parts, (lookup) => serveArtifact(parts, identifySession, lookup)),
    },
    {
      name: 'images of drawings',
      access: 'anyone',
      effect: 'reads',
      examples: ['GET /mj/image/t'],
      serves: ({ method, path }) => method === 'GET' && isOpenDrawingLookup(method, path),
      serve: servesOpenly(parts, (lookup) => lookUpOpenly(parts, lookup)),
    },
    {
      // A notice changes nothing by what it says: the task's account is asked earlier than planned.
      name: 'notices of drawings',
      access: 'anyone',
      effect: 'reads',
      examples: ['POST /mj/notify'],
      serves: ({ method, path }) => method === 'POST' && isOpenDrawingLookup(method, path),
      serve: servesOpenly(parts, (lookup) => lookUpOpenly(parts, lookup)),
    },
    {
      name: 'stored artifacts',
      access: 'anyone',
      effect: 'reads',
      examples: ['GET /v1/stored/w'],
      serves: ({ method, path }) => isStoredWork(method, path),
      serve: servesOpenly(parts, (lookup) => answerStoredWork(parts, lookup)),
    },
  ];
}

function vendorCalls(parts: RouteTableParts, { batchCalls }: Services): readonly Entrance[] {
  return [
    {
      name: 'files and batches',
      access: 'key',
      effect: 'spends',
      examples: [
        'GET /v1/files',
        'POST /v1/files',
        'GET /v1/files/f',
        'GET /v1/files/f/content',
        'DELETE /v1/files/f',
        'GET /v1/batches',
        'POST /v1/batches',
        'GET /v1/batches/b',
        'POST /v1/batches/b/cancel',
      ],
      serves: ({ path }) => batchCalls.serves(path),
      serve: (asked) => batchCalls.answer(asked),
    },
    {
      name: 'passthrough to a channel',
      access: 'key',
      effect: 'spends',
      examples: ['GET /v1/vector_stores', 'POST /v1/fine_tuning/jobs'],
      serves: ({ path }) => isRawPath(path),
      serve: (asked) => passRaw(parts, asked),
    },
  ];
}
