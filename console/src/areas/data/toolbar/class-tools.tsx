import { SettingOutlined } from '@ant-design/icons'
import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'
import { TransferMenu } from '../../transfer/transfer-menu.tsx'
import { useShownData } from '../data-search.ts'

interface ClassToolsProps {
  readonly description: ClassDescription
}

/** Actions on the class. */
export function ClassTools({ description }: ClassToolsProps) {
  const { t } = useTranslation('data')
  const { appId } = useApp()
  const { where, order } = useShownData()
  const { className } = description
  return (
    <>
      <TransferMenu description={description} where={where} order={order} />
      <Link to="/apps/$appId/classes/$className" params={{ appId, className }} tabIndex={-1}>
        <Button icon={<SettingOutlined />}>{t('toolbar.class')}</Button>
      </Link>
    </>
  )
}
