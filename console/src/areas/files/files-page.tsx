import { UploadOutlined } from '@ant-design/icons'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { App, Button, Flex, Input, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient } from '../../api/query-client.ts'
import { useApp } from '../../api/use-app.ts'
import { ClearIcon } from '../../parts/clear-icon.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { DropZone } from './drop-zone.tsx'
import { FileCard } from './file-card.tsx'
import { FileDrawer } from './file-drawer.tsx'
import { deleteFiles, type FileRecord, filesKey, filesQuery } from './file-queries.ts'
import { type FilesSearch, KINDS, type Kind } from './files-search.ts'
import { UploadButton } from './upload-button.tsx'
import { UploadList } from './upload-list.tsx'
import { useUploads } from './use-uploads.ts'

/** The files of an app, with thumbnails of images. */
export function FilesPage() {
  const { t } = useTranslation('files')
  const navigate = useNavigate()
  const { modal, message } = App.useApp()
  const { appId, canChange } = useApp()
  const search = useSearch({ from: '/signed-in/apps/$appId/files' })
  const files = useInfiniteQuery(filesQuery(appId, search))
  const uploads = useUploads(appId)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const show = (change: { readonly [name in keyof FilesSearch]: FilesSearch[name] | undefined }) =>
    void navigate({ to: '/apps/$appId/files', params: { appId }, search: { ...search, ...change } as FilesSearch })
  const deleting = useMutation({
    mutationFn: (ids: readonly string[]) => deleteFiles(appId, ids),
    onSuccess: (_, ids) => {
      setChosen(new Set())
      void message.success(t('deleted', { count: ids.length }))
      if (search.file !== undefined) show({ file: undefined })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: filesKey(appId) }),
  })
  const confirmDeletion = (ids: readonly string[], name: string) =>
    modal.confirm({
      title: t('deleteTitle', { count: ids.length, name }),
      content: t('deleteAbout'),
      okText: t('delete'),
      okButtonProps: { danger: true },
      onOk: () => deleting.mutateAsync(ids).catch(() => {}),
    })
  const choose = (id: string, isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((one) => one !== id)))
  const list = files.data?.pages.flat() ?? []
  const isFiltered = search.name !== undefined || search.kind !== undefined
  return (
    <Page title={t('title')} about={t('aboutFiles')} actions={canChange && <UploadButton onFiles={uploads.add} />}>
      <Flex wrap gap={8} align="center">
        <Input.Search
          allowClear={{ clearIcon: <ClearIcon /> }}
          aria-label={t('search')}
          placeholder={t('search')}
          defaultValue={search.name ?? ''}
          style={{ width: 260, maxWidth: '100%' }}
          onSearch={(name) => show({ name: name.trim() || undefined })}
        />
        <Select<Kind | 'all'>
          aria-label={t('kind.title')}
          value={search.kind ?? 'all'}
          style={{ width: 150 }}
          options={[
            { value: 'all', label: t('kind.all') },
            ...KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) })),
          ]}
          onChange={(kind) => show({ kind: kind === 'all' ? undefined : kind })}
        />
        {chosen.size > 0 && (
          <>
            <Button danger onClick={() => void confirmDeletion([...chosen], '')}>
              {t('deleteChosen', { count: chosen.size })}
            </Button>
            <Button type="text" onClick={() => setChosen(new Set())}>
              {t('chooseNone')}
            </Button>
          </>
        )}
      </Flex>
      <ProblemNotice error={files.error ?? deleting.error} />
      <UploadList uploads={uploads} />
      <DropZone disabled={!canChange} onFiles={uploads.add}>
        {files.isPending && <Loading />}
        {files.isSuccess && list.length === 0 && (
          <EmptyState
            title={t(isFiltered ? 'noneFound' : 'none')}
            action={!isFiltered && canChange && <UploadButton onFiles={uploads.add} icon={<UploadOutlined />} />}
          >
            {isFiltered ? t('noneFoundAbout') : t('noneAbout')}
          </EmptyState>
        )}
        <div
          style={{ display: 'grid', gap: 16, gridTemplateColumns: 'repeat(auto-fill, minmax(min(180px, 45%), 1fr))' }}
        >
          {list.map((file: FileRecord) => (
            <FileCard
              key={file.objectId}
              file={file}
              canChoose={canChange}
              isChosen={chosen.has(file.objectId)}
              onOpen={() => show({ file: file.objectId })}
              onChoose={(isChosen) => choose(file.objectId, isChosen)}
            />
          ))}
        </div>
        {files.hasNextPage && (
          <Flex justify="center" style={{ marginTop: 16 }}>
            <Button loading={files.isFetchingNextPage} onClick={() => void files.fetchNextPage()}>
              {t('more')}
            </Button>
          </Flex>
        )}
      </DropZone>
      {search.file !== undefined && (
        <FileDrawer
          id={search.file}
          onClose={() => show({ file: undefined })}
          onDelete={({ objectId, name }) => void confirmDeletion([objectId], name ?? objectId)}
        />
      )}
    </Page>
  )
}
