/** Table of everything that the relay's listener serves. The first matching route serves a request. */
import type { BatchEndpoints } from './batches/file-and-batch-endpoints.ts';
import { handlePublicMidjourney, isPublicMidjourneyEndpoint } from './endpoints/midjourney-endpoints.ts';
import {
  detectModelsDialect,
  handleBudget,
  handleModels,
  isBudgetEndpoint,
  isModelsEndpoint,
  type KeyEndpointsParts,
} from './endpoints/models-and-budget-endpoints.ts';
import { type PassthroughParts, servePassthrough } from './endpoints/passthrough.ts';
import {
  handleStoredArtifact,
  isArtifactPath,
  isStoredArtifactPath,
  serveArtifact,
} from './endpoints/send-artifact.ts';
import { handleTask, isTaskEndpoint, type TaskEndpointsParts } from './endpoints/task-endpoints.ts';
import { countRequestTokens, type TokenCountEndpointParts } from './endpoints/token-count-endpoint.ts';
import { isPassthroughPath } from './http/relay-paths.ts';
import { type RelayRequestParts, relayRequest } from './pipeline/relay-request.ts';
import type { BackgroundResponses } from './responses-api/background-responses.ts';
import { needsResponseSlot, type ResponseEndpoints } from './responses-api/response-endpoints.ts';
import {
  createEndpointHandler,
  createPublicHandler,
  type GatewayRoute,
  type RequestTarget,
  type RouteParts,
  type RouteRequest,
} from './route-types-and-handlers.ts';
import type { IdentifySession } from './snapshot/authenticate-session.ts';

export interface RouteTableParts
  extends RelayRequestParts,
    TokenCountEndpointParts,
    RouteParts,
    KeyEndpointsParts,
    TaskEndpointsParts,
    PassthroughParts {}

/** Services that the routes use. */
interface Services {
  background: BackgroundResponses;
  batchEndpoints: BatchEndpoints;
  responseEndpoints: ResponseEndpoints;
  identifySession: IdentifySession;
}

export function createRoutes(parts: RouteTableParts, services: Services): readonly GatewayRoute[] {
  return [
    ...relayRoutes(parts, services),
    ...endpointRoutes(parts, services),
    ...artifactRoutes(parts, services),
    ...vendorRoutes(parts, services),
  ];
}

function isRelayCall({ method, path, relayRoute }: RequestTarget): boolean {
  return method === 'POST' && relayRoute !== undefined && !isPassthroughPath(path);
}

function relayRoutes(parts: RouteTableParts, { background }: Services): readonly GatewayRoute[] {
  const serve = (request: RouteRequest): Promise<void> => serveRelay(parts, request, background);
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
      serves: (request) => isRelayCall(request) && !request.isPlayground && !request.isCount,
      serve,
    },
    {
      name: 'token count',
      access: 'key',
      effect: 'reads',
      examples: ['POST /v1/messages/count_tokens', 'POST /v1/responses/input_tokens'],
      serves: (request) => isRelayCall(request) && request.isCount,
      serve: (request) => serveTokenCount(parts, request),
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
      serves: (request) => isRelayCall(request) && request.isPlayground,
      serve,
    },
  ];
}

async function serveRelay(
  parts: RouteTableParts,
  request: RouteRequest,
  background: BackgroundResponses,
): Promise<void> {
  const { relayRoute } = request;
  if (relayRoute !== undefined) await relayRequest(parts, { ...request, route: relayRoute, background });
}

async function serveTokenCount(parts: RouteTableParts, request: RouteRequest): Promise<void> {
  const { relayRoute } = request;
  if (relayRoute !== undefined) await countRequestTokens(parts, { ...request, route: relayRoute });
}

function endpointRoutes(parts: RouteTableParts, { responseEndpoints }: Services): readonly GatewayRoute[] {
  const takesNoSlot = (): boolean => false;
  const takesSlot = (): boolean => true;
  return [
    {
      name: 'models',
      access: 'key',
      effect: 'reads',
      examples: ['GET /v1/models', 'GET /v1/models/m', 'GET /v1beta/models', 'GET /claude/v1/models'],
      serves: ({ method, path }) => isModelsEndpoint(method, path),
      errorDialect: detectModelsDialect,
      serve: createEndpointHandler(parts, (principal, request) => handleModels(parts, principal, request), takesNoSlot),
    },
    {
      name: 'usage and balance',
      access: 'key',
      effect: 'reads',
      examples: ['GET /api/usage/token', 'GET /v1/dashboard/billing/usage', 'GET /dashboard/billing/subscription'],
      serves: ({ method, path }) => isBudgetEndpoint(method, path),
      serve: createEndpointHandler(parts, (principal, request) => handleBudget(parts, principal, request), takesNoSlot),
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
      serves: ({ method, path }) => isTaskEndpoint(method, path),
      serve: createEndpointHandler(parts, (principal, request) => handleTask(parts, principal, request), takesSlot),
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
      serves: ({ method, path }) => responseEndpoints.serves(method, path),
      serve: createEndpointHandler(parts, responseEndpoints.handle, needsResponseSlot),
    },
  ];
}

function artifactRoutes(parts: RouteTableParts, { identifySession }: Services): readonly GatewayRoute[] {
  return [
    {
      name: 'artifacts in the console',
      access: 'session',
      effect: 'reads',
      examples: ['GET /api/task/t/work/0'],
      serves: ({ method, path }) => isArtifactPath(method, path),
      serve: createPublicHandler(parts, (request) => serveArtifact(parts, identifySession, request)),
    },
    {
      name: 'images of drawings',
      access: 'anyone',
      effect: 'reads',
      examples: ['GET /mj/image/t'],
      serves: ({ method, path }) => method === 'GET' && isPublicMidjourneyEndpoint(method, path),
      serve: createPublicHandler(parts, (request) => handlePublicMidjourney(parts, request)),
    },
    {
      // The callback's content is ignored: it only makes the next poll due now.
      name: 'notices of drawings',
      access: 'anyone',
      effect: 'reads',
      examples: ['POST /mj/notify'],
      serves: ({ method, path }) => method === 'POST' && isPublicMidjourneyEndpoint(method, path),
      serve: createPublicHandler(parts, (request) => handlePublicMidjourney(parts, request)),
    },
    {
      name: 'stored artifacts',
      access: 'anyone',
      effect: 'reads',
      examples: ['GET /v1/stored/w'],
      serves: ({ method, path }) => isStoredArtifactPath(method, path),
      serve: createPublicHandler(parts, (request) => handleStoredArtifact(parts, request)),
    },
  ];
}

function vendorRoutes(parts: RouteTableParts, { batchEndpoints }: Services): readonly GatewayRoute[] {
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
      serves: ({ path }) => batchEndpoints.serves(path),
      serve: (request) => batchEndpoints.handle(request),
    },
    {
      name: 'passthrough to a channel',
      access: 'key',
      effect: 'spends',
      examples: ['GET /v1/vector_stores', 'POST /v1/fine_tuning/jobs'],
      serves: ({ path }) => isPassthroughPath(path),
      serve: (request) => servePassthrough(parts, request),
    },
  ];
}
