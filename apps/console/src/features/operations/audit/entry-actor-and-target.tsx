import type { AuditEntry } from '@switchyard/contract/operations/audit';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { paths, userPath } from '../../../paths.ts';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';

/** User who impersonated the actor. */
const impersonator = z.object({ username: z.string() });

interface EntryActorProps {
  entry: Pick<AuditEntry, 'action' | 'user_id' | 'username' | 'detail'>;
  /** True if the name links to the account. */
  linked?: boolean;
}

/** Shows the actor of an entry: a user, the system, or an unknown visitor whose sign-in was refused. */
export function EntryActor({ entry, linked = false }: EntryActorProps) {
  const { action, user_id, username } = entry;
  const { t } = useTranslation('audit');
  if (user_id === null) return action === 'session.refused' ? UNKNOWN : t('nobody');
  const name = <Name id={user_id}>{username}</Name>;
  const acting = impersonator.safeParse(entry.detail['impersonator']).data;
  if (acting !== undefined) return t('actingAs', { by: isolateBidi(acting.username), name: isolateBidi(username) });
  if (!linked) return name;
  return <Link to={userPath(user_id)}>{name}</Link>;
}

/** Returns the screen for an entry's target, if it has one. */
function placeOf(kind: string, id: string): { to: string; search?: Record<string, string> } | undefined {
  if (!/^\d+$/.test(id)) return undefined;
  if (kind === 'user') return { to: userPath(id) };
  return kind === 'channel' ? { to: paths.channels, search: { open: id } } : undefined;
}

/** Shows an entry's target, such as `user:7`, as a link if it has a screen. */
export function EntryTarget({ target }: { target: string }) {
  const [kind = '', id = ''] = target.split(':', 2);
  const place = placeOf(kind, id);
  if (place === undefined) return <Mono>{target}</Mono>;
  return (
    <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
      <Link {...place} color="inherit">
        <Mono>{target}</Mono>
      </Link>
    </span>
  );
}
