"""Android's own classes that the suite's apps need, and what stands in for the others."""
import os
import re
import zipfile

import judge

HERE = os.path.dirname(os.path.abspath(__file__))
# Of Android itself, with the classes inside them.
REAL = {
    'android/app': 'Application WindowConfiguration',
    'android/content': 'ComponentCallbacks ComponentCallbacks2 Context SharedPreferences',
    'android/content/pm': 'ApplicationInfo PackageInfo PackageItemInfo',
    'android/content/res': 'CompatibilityInfo Configuration',
    'android/graphics': 'FrameInfo HardwareRenderer Rect Region',
    'android/net': 'LocalSocketAddress',
    'android/os': 'Binder Debug Handler HandlerThread IBinder LocaleList Looper Message MessageQueue Parcelable Process SystemClock '
                  'SystemProperties ThreadLocalWorkSource Trace ZygoteProcess',
    'android/util': 'ArrayMap DisplayMetrics Log Printer SparseArray',
    'android/view': 'Choreographer Display DisplayAdjustments DisplayInfo FrameMetrics ThreadedRenderer ViewGroup ViewManager '
                    'ViewTreeObserver WindowManager WindowMetrics',
    'android/view/animation': 'AnimationUtils',
    'com/android/internal/os': 'BinderInternal',
    'com/android/internal/util': 'Parcelling Preconditions',
}


def compile_framework(framework, runtime):
    """Android's classes, and what stands in for the others; both as folders."""
    real = judge.scratch_folder('real')
    names = {f'{package}/{name}' for package, names in REAL.items() for name in names.split()}
    with zipfile.ZipFile(framework) as jar:
        jar.extractall(real, [name for name in jar.namelist() if re.split(r'\$|\.', name)[0] in names])
    made = judge.compile_java(judge.scratch('made'), [os.path.join(HERE, 'java', name) for name in ('app', 'identity')], '--release', '8',
                              '-Xlint:-options', '-cp', f'{runtime}:{framework}')
    return real, made
