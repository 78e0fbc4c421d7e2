/** Routes of the management server with their access. A route without a declaration prevents the start. */
import type { Access } from '@switchyard/contract/route';
import type { FastifyInstance } from 'fastify';

const outsideParties = ['metrics reader', 'Telegram', 'payment provider'] as const;

/** Access by the contract's rights, or by outside parties that authenticate at the route. */
export type RouteAccess = Access | (typeof outsideParties)[number];

/**
 * Returns whether the calls of a route count against the rate limit of their address. Webhook events of payment
 * providers don't: behind a proxy that is not configured all clients share one address, and a stranger could keep
 * payments from being credited.
 */
export function isThrottledOutsideParty(access: RouteAccess | undefined): boolean {
  return access !== 'payment provider' && outsideParties.some((party) => party === access);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    entrance?: { access: RouteAccess };
  }
}

export interface DeclaredRoute {
  method: string;
  path: string;
  access: RouteAccess;
}

export interface DeclaredRoutes {
  /** @throws RangeError that names a route without a declaration */
  list(): DeclaredRoute[];
}

/** Tracks the routes that are added from now on. */
export function trackRoutes(app: FastifyInstance): DeclaredRoutes {
  const added: { method: string; path: string; access: () => RouteAccess | undefined }[] = [];
  app.addHook('onRoute', (route) => {
    // Read later, because a plugin's own hook declares its routes.
    for (const method of [route.method].flat())
      added.push({ method, path: route.url, access: () => route.config?.entrance?.access });
  });
  return {
    list: () =>
      added.map(({ method, path, access: read }) => {
        const access = read();
        if (access === undefined) throw new RangeError(`${method} ${path} does not declare who may call it`);
        return { method, path, access };
      }),
  };
}
