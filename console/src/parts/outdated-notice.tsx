import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useIsOutdated } from './outdated.ts'

/** Offers to load the page anew where a part of it is there no more. It does not do so by itself: somebody may be writing. */
export function OutdatedNotice() {
  const { t } = useTranslation('parts')
  if (!useIsOutdated()) return null
  return (
    <Alert
      banner
      type="warning"
      role="alert"
      style={{ position: 'sticky', top: 0, zIndex: 20 }}
      title={t('outdated.title')}
      description={t('outdated.about')}
      action={
        <Button type="primary" onClick={() => location.reload()}>
          {t('outdated.reload')}
        </Button>
      }
    />
  )
}
