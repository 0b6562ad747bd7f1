import { DeleteOutlined } from '@ant-design/icons'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { path, request } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { Loading } from '../../../parts/loading.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { rowsKey } from '../data-queries.ts'
import { useShownData } from '../data-search.ts'
import { ObjectSearch } from '../editors/object-search.tsx'
import { useEdits } from '../edits/edits.tsx'
import { titleIn } from '../titles/title-field.ts'
import { useTitleField } from '../titles/use-title.ts'
import { pointerTo } from '../values/typed-value.ts'

interface RelationMembersProps {
  /** The object with the relation */
  readonly className: string
  readonly objectId: string
  /** The name of the field */
  readonly name: string
  readonly field: Field
}

/** The members of a relation, page by page, with a search to add others. */
export function RelationMembers({ className, objectId, name, field }: RelationMembersProps) {
  const { t } = useTranslation('data')
  const { appId, call, canChange } = useApp()
  const { show } = useShownData()
  const queries = useQueryClient()
  const edits = useEdits()
  const target = field.className ?? ''
  const titleField = useTitleField(target)
  const queryKey = [...rowsKey(appId, className), 'members', objectId, name]
  const members = useInfiniteQuery({
    queryKey,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      request('POST', '/admin/apps/{appId}/classes/{className}/find', {
        params: { appId, className: target },
        body: {
          where: { $relatedTo: { object: pointerTo(className, objectId), key: name } },
          limit: 20,
          ...(pageParam === null ? {} : { after: pageParam }),
        },
        signal,
      }),
    getNextPageParam: (page) => page.next,
  })
  const write = async (operation: 'AddRelation' | 'RemoveRelation', id: string) => {
    await call('PUT', path`/1.1/classes/${className}/${objectId}`, {
      body: { [name]: { __op: operation, objects: [pointerTo(target, id)] } },
    })
    await queries.invalidateQueries({ queryKey })
  }
  const changing = useMutation({
    mutationFn: ({ operation, id }: { operation: 'AddRelation' | 'RemoveRelation'; id: string }) =>
      write(operation, id),
    onSuccess: (_, { operation, id }) =>
      void edits.note({
        done: t('edits.changed', { field: name, id: objectId }),
        undo: () => write(operation === 'AddRelation' ? 'RemoveRelation' : 'AddRelation', id),
      }),
  })
  const found = members.data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <Flex vertical gap={4}>
      <ProblemNotice error={members.error ?? changing.error} />
      {members.isPending && <Loading />}
      {members.data && found.length === 0 && <Typography.Text type="secondary">{t('relation.none')}</Typography.Text>}
      {found.map((member) => (
        <Flex key={member.objectId} justify="space-between" align="center">
          <Button
            type="link"
            size="small"
            style={{ paddingInline: 0 }}
            onClick={() => show({ open: `${target}/${member.objectId}` })}
          >
            {titleIn(member, titleField)} <Typography.Text type="secondary">{member.objectId}</Typography.Text>
          </Button>
          {canChange && (
            <Button
              type="text"
              size="small"
              icon={<DeleteOutlined />}
              aria-label={t('relation.remove', { id: member.objectId })}
              onClick={() => changing.mutate({ operation: 'RemoveRelation', id: member.objectId })}
            />
          )}
        </Flex>
      ))}
      {members.hasNextPage && (
        <Button size="small" loading={members.isFetchingNextPage} onClick={() => void members.fetchNextPage()}>
          {t('relation.more')}
        </Button>
      )}
      {canChange && (
        <ObjectSearch
          className={target}
          value={null}
          label={t('relation.add', { className: target })}
          onChoose={({ objectId: id }) => changing.mutate({ operation: 'AddRelation', id })}
        />
      )}
    </Flex>
  )
}
