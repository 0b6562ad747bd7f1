import { Flex, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { type PointerValue, pointerTo } from '../values/typed-value.ts'
import { ObjectSearch } from './object-search.tsx'

interface PointerEditorProps {
  readonly className: string
  readonly value: PointerValue | null
  onChange(value: PointerValue | undefined): void
}

/** Chooses what a pointer leads to: by searching, or by an id that is known. */
export function PointerEditor({ className, value, onChange }: PointerEditorProps) {
  const { t } = useTranslation('data')
  return (
    <Flex vertical gap={8}>
      <ObjectSearch
        className={className}
        value={value?.objectId ?? null}
        label={t('pointer.search', { className })}
        onChoose={({ objectId }) => onChange(pointerTo(className, objectId))}
      />
      <Input
        aria-label={t('pointer.id')}
        placeholder={t('pointer.id')}
        value={value?.objectId ?? ''}
        onChange={(event) => {
          const id = event.target.value.trim()
          onChange(id === '' ? undefined : pointerTo(className, id))
        }}
      />
    </Flex>
  )
}
