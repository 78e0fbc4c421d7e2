import { CERTIFICATE_WARN_DAYS, type Certificate } from '@switchyard/contract/operations/system-info';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-chip.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';

interface CertificateListProps {
  certificates: readonly Certificate[];
  /** UTC seconds. */
  now: number;
}

const DAY = 86_400;

/** The hosts that channels call, those first whose certificates end first. */
export function CertificateList({ certificates, now }: CertificateListProps) {
  const { t } = useTranslation('system-info');
  if (certificates.length === 0) return <EmptyState>{t('certificate.none')}</EmptyState>;
  const sorted = certificates.toSorted(
    (one, other) => (one.valid_until ?? Number.MAX_VALUE) - (other.valid_until ?? Number.MAX_VALUE),
  );
  return (
    <RowList label={t('card.certificates')}>
      {sorted.map((certificate) => (
        <Row key={certificate.host} certificate={certificate} now={now} />
      ))}
    </RowList>
  );
}

function Row({ certificate, now }: { certificate: Certificate; now: number }) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  const { host, channels, problem, issuer, valid_until: end, checked_at } = certificate;
  const days = end === null ? undefined : Math.floor((end - now) / DAY);
  const said = [
    t('certificate.channels', { count: channels }),
    issuer,
    end === null ? '' : t('certificate.until', { day: format.day(end) }),
    problem === '' ? '' : t(`certificate.problem.${problem}`),
    checked_at === null ? t('certificate.notYet') : '',
  ];
  return (
    <ListRow
      title={<Mono>{host}</Mono>}
      text={said.filter((part) => part !== '').join(' · ')}
      actions={
        days !== undefined && (
          <StatusChip tone={toneOf(days)}>
            {days < 0 ? t('certificate.ended') : t('certificate.days', { count: days })}
          </StatusChip>
        )
      }
    />
  );
}

function toneOf(days: number): Tone {
  if (days < 0) return 'error';
  return days < CERTIFICATE_WARN_DAYS ? 'warning' : 'success';
}
