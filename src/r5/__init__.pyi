"""The public names of r5, each with the module it comes from."""

from r5.chains.completion import Completion as Completion
from r5.chains.completion import Reason as Reason
from r5.data.registry import Format as Format
from r5.data.registry import formats as formats
from r5.data.registry import load as load
from r5.data.registry import register as register
from r5.dataset import Dataset as Dataset
from r5.dataset import Summary as Summary
from r5.derivations.derivation import Derivation as Derivation
from r5.derivations.derivation import Fact as Fact
from r5.derivations.derivation import Prediction as Prediction
from r5.derivations.derivation import Step as Step
from r5.derivations.derivation import Suspicion as Suspicion
from r5.errors import DataError as DataError
from r5.errors import MissingExtraError as MissingExtraError
from r5.errors import R5Error as R5Error
from r5.evaluation import Evaluation as Evaluation
from r5.evaluation import evaluate as evaluate
from r5.examples import Example as Example
from r5.examples import Examples as Examples
from r5.examples import Query as Query
from r5.graph import Graph as Graph
from r5.paths.find import PathSet as PathSet
from r5.paths.find import find_paths as find_paths
from r5.ranking import Ranking as Ranking
from r5.ranking import rank as rank
from r5.reasoners.augmented import AugmentedReasoner as AugmentedReasoner
from r5.reasoners.base import Progress as Progress
from r5.reasoners.base import ProgressCallback as ProgressCallback
from r5.reasoners.base import Reasoner as Reasoner
from r5.reasoners.chains import ChainReasoner as ChainReasoner
from r5.reasoners.grammar import GrammarReasoner as GrammarReasoner
from r5.reasoners.neural import NeuralReasoner as NeuralReasoner
from r5.reasoners.r5 import R5Reasoner as R5Reasoner
from r5.reasoners.registry import load_model as load_model
from r5.relations import Vocabulary as Vocabulary
from r5.report.page import write_report as write_report
from r5.rules.compare import Comparison as Comparison
from r5.rules.formats.files import read_rules as read_rules
from r5.rules.formats.files import write_rules as write_rules
from r5.rules.rule import Rule as Rule
from r5.rules.ruleset import RuleSet as RuleSet
from r5.storage.folder import ModelError as ModelError

__version__: str
