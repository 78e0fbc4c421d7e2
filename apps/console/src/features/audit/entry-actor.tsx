import type { AuditEntry } from '@switchyard/contract/audit';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { UNKNOWN } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Name } from '../../ui/name.tsx';

interface EntryActorProps {
  entry: Pick<AuditEntry, 'action' | 'user_id' | 'username'>;
  /** With a way to the account. */
  linked?: boolean;
}

/** Who did it: a user, the gateway or the command line itself, or somebody whose sign-in was refused. */
export function EntryActor({ entry: { action, user_id, username }, linked = false }: EntryActorProps) {
  const { t } = useTranslation('audit');
  if (user_id === null) return action === 'session.refused' ? UNKNOWN : t('nobody');
  const name = <Name id={user_id}>{username}</Name>;
  if (!linked) return name;
  return (
    <Link to={paths.users} search={{ open: String(user_id) }}>
      {name}
    </Link>
  );
}
