// Writes docs/authorization.md, the table of who may call each route, from the contract:
// node scripts/write-authorization-docs.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getRightsOfRole, permissionNames } from '../packages/contract/src/accounts/permissions.ts';
import { features } from '../packages/contract/src/all-feature-routes.ts';
import type { Access, Route, Routes } from '../packages/contract/src/route.ts';

export const AUTHORIZATION_FILE = join(import.meta.dirname, '../docs/authorization.md');

const intro = `# Who may call what

Written from the contract by \`node scripts/write-authorization-docs.ts\`; a test fails when the two differ. A change here is a
change of rights: read it as one.

\`anyone\` needs no session, \`user\` is the use of one's own account, \`root\` is the operator alone. Between them are
permissions, all of which administrators have and staff are given one by one. **Step-up**: only for a session whose user
confirmed within ten minutes who they are, and never for an access token. Whoever may call a route that changes an account
may do so only to accounts of a lower role; root may to all. A session in which root acts as a user calls what only reads,
except what is private to the user, marked **not acting as a user**, and of the rest what is marked **acting as a user**.
`;

export function buildAuthorizationDocument(): string {
  const rows = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
    Object.entries(routes).map(([name, { method, path, access, stepUp, impersonated }]) => ({
      access,
      cells: [`\`${feature}.${name}\``, method, `\`${path}\``, access, describeExtras(stepUp, impersonated)],
    })),
  );
  const order: readonly Access[] = ['anyone', 'user', ...permissionNames, 'root'];
  const sections = order.flatMap((access) => {
    const own = rows.filter((row) => row.access === access);
    if (own.length === 0) return [];
    const lines = own.map(({ cells }) => `| ${cells.filter((_, at) => at !== 3).join(' | ')} |`).toSorted();
    return [
      `## ${access}\n\n${listRoles(access)}\n\n| route | method | path | |\n|---|---|---|---|\n${lines.join('\n')}\n`,
    ];
  });
  return `${[intro, ...sections].join('\n')}\n${rows.length} routes.\n`;
}

function describeExtras(stepUp: Route['stepUp'], impersonated: Route['impersonated']): string {
  if (stepUp === true) return 'step-up';
  if (impersonated === false) return 'not acting as a user';
  return impersonated === true ? 'acting as a user' : '';
}

function listRoles(access: Access): string {
  if (access === 'anyone') return 'Without a session.';
  const roles = (['user', 'admin', 'root'] as const).filter((role) => getRightsOfRole(role, []).includes(access));
  const staff =
    getRightsOfRole('staff', permissionNames).includes(access) && access !== 'user' ? ', staff who are given it' : '';
  return `Roles: ${access === 'user' ? 'user, staff, admin, root' : roles.join(', ')}${staff}.`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(AUTHORIZATION_FILE, buildAuthorizationDocument());
