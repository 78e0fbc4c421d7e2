import type { AuditEntry } from '@switchyard/contract/operations/audit';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { userPath } from '../../../paths.ts';
import { Link } from '../../../ui/display/links.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';

/** User who impersonated the actor. */
const impersonator = z.object({ username: z.string() });

interface EntryActorProps {
  entry: Pick<AuditEntry, 'action' | 'user_id' | 'username' | 'detail'>;
  /** Links to the account. */
  linked?: boolean;
}

/** Shows who acted: a user, the gateway, the command line, or an unknown visitor whose sign-in was refused. */
export function EntryActor({ entry, linked = false }: EntryActorProps) {
  const { action, user_id, username } = entry;
  const { t } = useTranslation('audit');
  if (user_id === null) return action === 'session.refused' ? UNKNOWN : t('nobody');
  const name = <Name id={user_id}>{username}</Name>;
  const acting = impersonator.safeParse(entry.detail['impersonator']).data;
  if (acting !== undefined)
    return t('actingAs', { by: isolateBidi(acting.username), name: isolateBidi(username) });
  if (!linked) return name;
  return <Link to={userPath(user_id)}>{name}</Link>;
}
