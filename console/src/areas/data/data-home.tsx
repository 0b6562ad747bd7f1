import { PlusOutlined } from '@ant-design/icons'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { classesQuery } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { NewClass } from './classes/new-class.tsx'

/** Shown beside the classes while none is selected, with the first steps. */
export function DataHome() {
  const { t } = useTranslation('data')
  const { appId, canChange } = useApp()
  const [isMaking, setIsMaking] = useState(false)
  const isEmpty = useSuspenseQuery(classesQuery(appId)).data.every(({ className }) => className.startsWith('_'))
  return (
    <Card>
      <EmptyState
        title={isEmpty ? t('home.empty') : t('home.choose')}
        action={
          canChange && (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setIsMaking(true)}>
              {t('classes.create')}
            </Button>
          )
        }
      >
        {isEmpty ? t('home.emptyAbout') : t('home.chooseAbout')}
      </EmptyState>
      <NewClass open={isMaking} onClose={() => setIsMaking(false)} />
    </Card>
  )
}
