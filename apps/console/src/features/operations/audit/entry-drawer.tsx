import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { AuditEntry } from '@switchyard/contract/operations/audit';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { type Fact, Facts } from '../../../ui/display/facts.tsx';
import { Moment } from '../../../ui/display/moment.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useActionSentence } from './action-sentence.ts';
import { changesOf } from './changes-of.ts';
import { EntryActor } from './entry-actor.tsx';
import { EntryTarget } from './entry-target.tsx';

interface EntryDrawerProps {
  entry: AuditEntry | undefined;
  onClose: () => void;
}

/** One entry with what stood there before and what stands there now. */
export function EntryDrawer({ entry, onClose }: EntryDrawerProps) {
  const sentence = useActionSentence();
  return (
    <DetailDrawer
      open={entry !== undefined}
      onClose={onClose}
      title={entry === undefined ? '' : sentence(entry.action)}
    >
      {entry !== undefined && <Entry entry={entry} />}
    </DetailDrawer>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('audit');
  const { changes, rest } = changesOf(entry.detail);
  const facts: Fact[] = [
    [t('number'), `#${entry.id}`],
    [t('time'), <Moment key="time" seconds={entry.created_at} />],
    [t('who'), <EntryActor key="who" entry={entry} linked />],
    [t('target'), <EntryTarget key="target" target={entry.target} />],
    [t('address'), entry.address === '' ? UNKNOWN : <Mono key="address">{entry.address}</Mono>],
    [t('requestId'), entry.request_id === '' ? UNKNOWN : <Mono key="request">{entry.request_id}</Mono>],
  ];
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <Facts facts={facts} />
      {changes.length > 0 && (
        <section>
          <Typography variant="h3" sx={{ mb: 1 }}>
            {t('changes')}
          </Typography>
          <Facts
            facts={changes.map(({ field, before, after }) => [
              field,
              <Change key={field} before={before} after={after} />,
            ])}
          />
        </section>
      )}
      {Object.keys(rest).length > 0 && (
        <section>
          <Typography variant="h3" sx={{ mb: 1 }}>
            {t('detail')}
          </Typography>
          <CodeBlock code={JSON.stringify(rest, null, 2)} />
        </section>
      )}
    </Box>
  );
}

function Change({ before, after }: { before: string | undefined; after: string }) {
  return (
    <>
      {before !== undefined && (
        <>
          <Box component="del" sx={{ color: 'text.secondary' }}>
            <Mono>{before}</Mono>
          </Box>
          {' → '}
        </>
      )}
      <Box component="ins" sx={{ textDecoration: 'none' }}>
        <Mono>{after}</Mono>
      </Box>
    </>
  );
}
