import { PlusOutlined } from '@ant-design/icons'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Button, Flex, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { classNamesQuery } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'
import { apart, type ClassListProps } from './class-list.tsx'
import { NewClass } from './new-class.tsx'

/** The classes as a select, where there is no space for a list. */
export function ClassChoice({ chosen, onChoose }: ClassListProps) {
  const { t } = useTranslation('data')
  const { appId, canChange } = useApp()
  const { own, builtIn } = apart(useSuspenseQuery(classNamesQuery(appId)).data)
  const [isMaking, setIsMaking] = useState(false)
  const option = (name: string) => ({ value: name, label: name })
  return (
    <Flex gap={8}>
      <Select
        aria-label={t('classes.title')}
        placeholder={t('classes.title')}
        value={chosen}
        showSearch={{ optionFilterProp: 'label' }}
        style={{ flex: 1, minWidth: 0 }}
        onChange={onChoose}
        options={[
          { label: t('classes.own'), options: own.map(option) },
          { label: t('classes.builtIn'), options: builtIn.map(option) },
        ]}
      />
      {canChange && (
        <Button icon={<PlusOutlined />} aria-label={t('classes.create')} onClick={() => setIsMaking(true)} />
      )}
      <NewClass open={isMaking} onClose={() => setIsMaking(false)} />
    </Flex>
  )
}
