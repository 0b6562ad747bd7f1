import { Alert, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { clipboardLine } from '../../parts/clipboard-text.ts'
import type { EntryLink } from './administrators-queries.ts'

/** Shows a one-time login link, which cannot be shown again. */
export function LinkNotice({ link, onClose }: { readonly link: EntryLink | null; onClose(): void }) {
  const { t } = useTranslation('administrators')
  const format = useFormat()
  if (!link) return null
  const url = `${location.origin}/console/enter#${link.token}`
  return (
    <Alert
      type="info"
      showIcon
      title={t('linkMade')}
      closable={{ onClose, 'aria-label': t('linkClose') }}
      description={
        <>
          <Typography.Paragraph style={{ marginBottom: 8 }}>
            {t('linkMadeAbout', { time: format.time(link.expiresAt) })}
          </Typography.Paragraph>
          <Typography.Text code copyable={{ text: clipboardLine(url) }} style={{ wordBreak: 'break-all' }}>
            {url}
          </Typography.Text>
        </>
      }
    />
  )
}
