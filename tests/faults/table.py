"""Which calls fail, and how: what faults.py and recorder.py share."""
import errno

from bench import Fault

ALWAYS = 1 << 30
MEMORY = 'malloc,calloc,realloc,aligned_alloc,posix_memalign'
MAPPING = 'mmap,mmap64'
OPEN = 'open,open64,openat,openat64,creat,fopen,fopen64'
LIST = 'opendir,fdopendir'
NEXT = 'readdir,readdir64,getdents64'
READ = 'read,pread,pread64'
WRITE = 'write,pwrite,pwrite64'
RENAME = 'rename,renameat,renameat2'
LINK = 'link,linkat,symlink,symlinkat'
REMOVE = 'unlink,unlinkat,rmdir,remove'
SYNC = 'fsync,fdatasync,syncfs'
SIZE = 'ftruncate,ftruncate64,fallocate,fallocate64,posix_fallocate,posix_fallocate64'
FOLDER = 'mkdir,mkdirat,mkdtemp,mkostemp64,mkstemp,mkstemp64'
LOOK = ('stat,stat64,lstat,lstat64,fstat,fstat64,fstatat,fstatat64,access,faccessat,fstatfs,'
        'fstatfs64,statvfs,statvfs64,fstatvfs,fstatvfs64')
PATH = 'realpath,getcwd,readlink,chdir,fchdir'
SEEK = 'lseek,lseek64'
MODE = 'fchmod,fchmodat,chmod'
PIPE = 'socketpair,pipe,pipe2,dup,dup2'
SOCKET = 'socket,connect,socketpair,sendmsg,recvmsg'
USER = 'fork,fchdir,chroot,setgroups,setresgid,setresuid,getpwuid'
TERMINAL = 'tcgetattr,tcsetattr'
WAIT = 'pselect,clock_nanosleep'
LOCKS = 'pthread_mutex_init,pthread_cond_init,pthread_key_create'

# Calls, the errors they fail with once, and those that stay.
TABLE = (
    (MEMORY, (errno.ENOMEM,), (errno.ENOMEM,)),
    (MAPPING, (errno.ENOMEM, errno.ENODEV), (errno.ENOMEM,)),
    (OPEN, (errno.EMFILE, errno.EACCES, errno.EIO, errno.EINTR), (errno.EMFILE,)),
    (LIST, (errno.EMFILE, errno.EACCES), (errno.EMFILE,)),
    (NEXT, (errno.EIO,), ()),
    (READ, (errno.EIO, errno.EINTR), (errno.EIO,)),
    (WRITE, (errno.ENOSPC, errno.EIO, errno.EINTR), (errno.ENOSPC,)),
    (RENAME, (errno.EXDEV, errno.EACCES, errno.EIO, errno.ENOSPC), ()),
    (LINK, (errno.EACCES, errno.ENOSPC, errno.EXDEV, errno.EPERM), ()),
    (REMOVE, (errno.EACCES, errno.EIO), ()),
    (SYNC, (errno.EIO, errno.ENOSPC, errno.EINTR), (errno.EIO,)),
    (SIZE, (errno.ENOSPC, errno.EIO, errno.EINTR), (errno.ENOSPC,)),
    (FOLDER, (errno.EACCES, errno.ENOSPC, errno.EIO), (errno.ENOSPC,)),
    (LOOK, (errno.EACCES, errno.EIO), ()),
    (PATH, (errno.EACCES, errno.ENOENT), ()),
    (SEEK, (errno.EIO,), ()),
    (MODE, (errno.EPERM,), ()),
    ('close', (errno.EIO, errno.ENOSPC, errno.EINTR), ()),
    ('flock', (errno.ENOLCK, errno.EINTR, errno.EOPNOTSUPP), (errno.ENOLCK,)),
    ('madvise', (errno.EINVAL,), (errno.EINVAL,)),
    (PIPE, (errno.EMFILE,), (errno.EMFILE,)),
    (SOCKET, (errno.EMFILE, errno.ECONNREFUSED), (errno.EMFILE,)),
    (USER, (errno.EPERM, errno.EAGAIN), (errno.EPERM,)),
    (TERMINAL, (errno.EIO, errno.EINTR), (errno.EIO,)),
    (WAIT, (errno.EINTR, errno.EINVAL), (errno.EINTR,)),
    (LOCKS, (errno.ENOMEM,), ()),
    ('pthread_create', (errno.EAGAIN,), (errno.EAGAIN,)),
    ('fork', (errno.EAGAIN, errno.ENOMEM), ()),
)


def faults(is_whole=True):
    """All of them, or one way to fail for each call."""
    for calls, once, always in TABLE:
        for error in once if is_whole else once[:1]:
            yield Fault(calls, 'error', error)
        for error in always if is_whole else ():
            yield Fault(calls, 'error', error, ALWAYS)
    yield Fault(READ, 'short')
    yield Fault(WRITE, 'short')
    yield Fault(READ, 'short', 0, ALWAYS)
    yield Fault(WRITE, 'short', 0, ALWAYS)


ALL = ' '.join(calls for calls, _, _ in TABLE)
