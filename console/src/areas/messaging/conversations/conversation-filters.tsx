import { Flex, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ListSearch } from '../conversation-search.ts'
import { SHOWN_KINDS } from '../conversation-search.ts'
import type { Search } from '../conversations.ts'
import { OpenById } from './open-by-id.tsx'

interface ConversationFiltersProps {
  readonly search: Search
  /** @param changed the new search; undefined members are ignored */
  onChange(changed: ListSearch): void
}

/** The filters of the list of conversations. */
export function ConversationFilters({ search, onChange }: ConversationFiltersProps) {
  const { t } = useTranslation('messaging')
  const isTemporary = search.kind === 'temporary'
  return (
    <Flex wrap gap={8} role="search">
      <Select
        aria-label={t('filter.kind')}
        style={{ width: 180 }}
        value={search.kind}
        options={SHOWN_KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        onChange={(kind) => onChange({ kind })}
      />
      <Input.Search
        key={`name ${search.name}`}
        aria-label={t('filter.name')}
        placeholder={t('filter.name')}
        style={{ width: 240, maxWidth: '100%' }}
        defaultValue={search.name}
        disabled={isTemporary}
        onSearch={(name) => onChange({ name: name.trim() })}
      />
      <Input.Search
        key={`member ${search.member}`}
        aria-label={t('filter.member')}
        placeholder={t('filter.member')}
        style={{ width: 240, maxWidth: '100%' }}
        defaultValue={search.member}
        onSearch={(member) => onChange({ member: member.trim() })}
      />
      <Select
        aria-label={t('filter.sort')}
        style={{ width: 180 }}
        value={search.sort}
        disabled={isTemporary}
        options={(['created', 'active'] as const).map((value) => ({ value, label: t(`filter.${value}`) }))}
        onChange={(sort) => onChange({ sort: sort === 'active' ? sort : undefined } as ListSearch)}
      />
      <OpenById />
    </Flex>
  )
}
