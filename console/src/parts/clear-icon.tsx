import { CloseCircleFilled } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'

/** The icon of the button that clears a field, with its label. */
export function ClearIcon() {
  const { t } = useTranslation('parts')
  return <CloseCircleFilled aria-label={t('clear')} />
}
